import "@tanstack/react-router";
