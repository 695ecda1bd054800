import { queryClient, settings, type settingsClient } from "../../api/clients";

/** A webhook as the settings API lists it. */
export type Webhook = Awaited<ReturnType<typeof settingsClient.webhooks.list.query>>["personal"][number];

/** Fetches webhooks and deliveries again. */
export const refreshWebhooks = () => queryClient.invalidateQueries({ queryKey: settings.webhooks.pathKey() });
