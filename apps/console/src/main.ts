import "./library.css";
import "./console.css";

// The colours that the person chose before, as the components' library stores and applies them: set once the page is drawn,
// they would make the browser compute every style twice.
const stored = localStorage.getItem("mantine-color-scheme-value");
const isDark =
  stored === "dark" || (stored !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.dataset.mantineColorScheme = isDark ? "dark" : "light";

// One library after the other: evaluated at once, they would keep the browser busy for a noticeable time.
await import("./libraries/react");
await import("./libraries/data");
await import("./libraries/router");
await import("./libraries/components");
await import("./start");
