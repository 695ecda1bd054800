import type { TablerIcon } from "@tabler/icons-react";

/** Where the navigation lists a page: the rail, or one of the two settings groups. */
export type PageGroup = "main" | "you" | "workspace";

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** Heading of the page, and its label in the navigation. */
    readonly title?: string;
    /** Description below the heading. */
    readonly about?: string;
    /** Absent for pages outside the navigation. */
    readonly group?: PageGroup;
    readonly icon?: TablerIcon;
    /** The navigation hides the page from members who are not admins. */
    readonly forAdmins?: boolean;
  }
}
