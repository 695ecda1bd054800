import {
  createTheme,
  localStorageColorSchemeManager,
  type MantineColorScheme,
  type MantineColorSchemeManager,
} from "@mantine/core";

const stored = localStorageColorSchemeManager();

const keepInCookie = (scheme: MantineColorScheme) => {
  // biome-ignore lint/suspicious/noDocumentCookie: Firefox and Safari lack or recently got the Cookie Store API.
  document.cookie = `scheme=${scheme}; path=/; max-age=31536000; samesite=lax`;
};

/**
 * Keeps the chosen color scheme, also in a cookie: the server writes the first frame of the page in it. It is written
 * again at every start, because it expires.
 */
export const colorSchemeManager: MantineColorSchemeManager = {
  ...stored,
  get: (initial) => {
    const scheme = stored.get(initial);
    if (scheme !== initial) keepInCookie(scheme);
    return scheme;
  },
  set: (scheme) => {
    stored.set(scheme);
    keepInCookie(scheme);
  },
};

/** The console's colors, sizes and component defaults. */
export const theme = createTheme({
  primaryColor: "indigo",
  primaryShade: { light: 7, dark: 8 },
  defaultRadius: "md",
  respectReducedMotion: true,
  headings: {
    fontWeight: "650",
    sizes: {
      h1: { fontSize: "1.5rem", lineHeight: "1.35" },
      h2: { fontSize: "1.0625rem", lineHeight: "1.4" },
      h3: { fontSize: "0.9375rem", lineHeight: "1.45" },
    },
  },
  components: {
    // A link within text must differ by more than color.
    Anchor: { defaultProps: { underline: "always" } },
    // Text on the library's tinted badges lacks contrast.
    Badge: { defaultProps: { variant: "default", radius: "sm", tt: "none", fw: 500 } },
    Modal: {
      defaultProps: {
        centered: true,
        closeButtonProps: { "aria-label": "Close" },
        // The page has a banner already.
        attributes: { header: { role: "presentation" } },
      },
    },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": "Dismiss" } } },
    // No portal, so the dropdown belongs to the landmark of its button.
    Menu: { defaultProps: { withinPortal: false, withInitialFocusPlaceholder: false } },
    // The same for suggestions. Their position is fixed, so that a dialog doesn't cut them off.
    Combobox: { defaultProps: { withinPortal: false, floatingStrategy: "fixed" } },
    // Color transitions make labels hard to read while the scheme changes.
    SegmentedControl: { defaultProps: { transitionDuration: 0 } },
  },
});
