import "react-dom/client";
