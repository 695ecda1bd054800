import type { WebhookEvent } from "@minutes/client/webhooks";
import type { MeetingCompleted } from "@minutes/contract";
import { expectTypeOf, test } from "vitest";

test("the published type of a webhook's event is what the service sends", () => {
  expectTypeOf<WebhookEvent>().toEqualTypeOf<MeetingCompleted>();
});
