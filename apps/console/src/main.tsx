import "./zod-config";
import "./library.css";
import "./console.css";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode, startTransition } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/clients";
import { keepAnswers } from "./api/offline";
import { router } from "./router";
import { colorSchemeManager, theme } from "./theme";

/** Returns the nonce that the page's content security policy allows style elements with. */
const getStyleNonce = () =>
  document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? "";

setNonce(getStyleNonce());
keepAnswers();
const container = document.getElementById("root");
if (container) {
  const root = createRoot(container);
  // In slices, so that a slow phone can respond to input.
  startTransition(() =>
    root.render(
      <StrictMode>
        <MantineProvider
          theme={theme}
          colorSchemeManager={colorSchemeManager}
          defaultColorScheme="auto"
          getStyleNonce={getStyleNonce}
        >
          <QueryClientProvider client={queryClient}>
            <Notifications position="bottom-left" withinPortal={false} />
            <RouterProvider router={router} />
          </QueryClientProvider>
        </MantineProvider>
      </StrictMode>,
    ),
  );
}
