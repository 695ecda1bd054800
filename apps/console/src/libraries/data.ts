import "@tanstack/react-query";
import "@trpc/client";
