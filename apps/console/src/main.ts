import "./library.css";
import "./console.css";

// The colours that the person chose before, as the components' library stores and applies them: set once the page is drawn,
// they would make the browser compute every style twice.
const stored = localStorage.getItem("mantine-color-scheme-value");
const isDark =
  stored === "dark" || (stored !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.dataset.mantineColorScheme = isDark ? "dark" : "light";

// One after the other, each with the libraries that it needs: evaluated at once, they would keep the browser busy for a
// noticeable time.
await import("./react");
await import("./api/clients");
await import("./components/states");
await import("./router");
await import("./start");
