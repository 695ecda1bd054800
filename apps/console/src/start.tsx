import { createTheme, MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode, startTransition, useLayoutEffect } from "react";
import { queryClient } from "./api/clients";
import { loadAgainForNewVersion } from "./api/new-version";
import { Notes } from "./components/Notes";
import { createRoot } from "./react";
import { router } from "./router";

const theme = createTheme({
  primaryColor: "blue",
  primaryShade: 8,
  defaultRadius: "md",
  respectReducedMotion: true,
  components: {
    // A link within a text must differ from it by more than its colour.
    Anchor: { defaultProps: { underline: "always" } },
    // The library's tinted badges are too faint to read on their tint.
    Badge: { defaultProps: { variant: "default" } },
    // A label whose colour moves with the scheme is hard to read until it has arrived.
    SegmentedControl: { defaultProps: { transitionDuration: 0 } },
  },
});

/** Returns the nonce that the page's policy allows style elements with. */
const getStyleNonce = () =>
  document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? "";

/** Takes the frame away that came with the page, in the moment in which this one is shown. */
function FrameSwitch() {
  useLayoutEffect(() => document.getElementById("frame")?.remove(), []);
  return null;
}

loadAgainForNewVersion();
setNonce(getStyleNonce());
const container = document.getElementById("root");
if (container) {
  // Until the page's scripts are here the frame stays, which came with the page. A transition renders in small steps, in
  // between which the browser answers the person.
  await new Promise((done) => setTimeout(done)); // What comes before, and the router's work, are two steps for the browser.
  await router.load();
  const root = createRoot(container);
  startTransition(() =>
    root.render(
      <StrictMode>
        <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={getStyleNonce}>
          <FrameSwitch />
          <Notes />
          <QueryClientProvider client={queryClient}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </MantineProvider>
      </StrictMode>,
    ),
  );
}
