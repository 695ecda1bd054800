import type { TablerIcon } from "@tabler/icons-react";

/** Where the navigation lists a page: in the rail, or in one of the three groups of the settings. */
export type PageGroup = "main" | "you" | "workspace" | "developers";

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** Heading of the page, and its label in the navigation. */
    readonly title?: string;
    /** What the page is for, below its heading. */
    readonly about?: string;
    /** Absent for pages that the navigation does not list. */
    readonly group?: PageGroup;
    readonly icon?: TablerIcon;
    /** The navigation hides the page from members who are not admins. */
    readonly forAdmins?: boolean;
  }
}
