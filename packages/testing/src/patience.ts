/**
 * Time in ms for which tests wait for something to happen. In CI, whose machines can be busy with other things, a child
 * process of low priority, such as a scheduled backup, gets a few per cent of a core.
 */
export const PATIENCE = process.env.REQUIRE_ALL ? 300_000 : 120_000;
