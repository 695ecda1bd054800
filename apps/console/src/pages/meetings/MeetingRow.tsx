import { Checkbox } from "@mantine/core";
import type { MeetingOverview } from "@minutes/contract";
import { IconLock, IconSquareCheck, IconUsers } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { Selection } from "../../api/use-selection";
import { Initials, TagName } from "../../components/MeetingFacts";
import { formatDuration, formatHourAndMinute, formatStart, toMachineTime } from "../../components/times";

interface RowProps {
  readonly meeting: MeetingOverview;
  readonly selection: Selection;
  /** True outside a list by day: shows the date with the time. */
  readonly dated?: boolean;
}

/** A meeting in a list. Uses plain elements, because scrolling renders many rows a second. */
export function MeetingRow({ meeting, selection, dated = false }: RowProps) {
  const duration = formatDuration(meeting.startTime, meeting.endTime);
  const isSelected = selection.has(meeting.id);
  return (
    <div className="meeting-row" data-selected={isSelected}>
      <Checkbox
        className="row-select"
        size="xs"
        aria-label={`Select ${meeting.title}`}
        checked={isSelected}
        onChange={() => selection.toggle(meeting)}
      />
      <Link to="/meetings/$meetingId" params={{ meetingId: meeting.id }} className="row-link">
        <span className="row-line">
          <span className="row-title" dir="auto">
            {meeting.title}
          </span>
          {meeting.generatedTitle && meeting.generatedTitle !== meeting.title && (
            <span className="row-generated">{meeting.generatedTitle}</span>
          )}
          {meeting.locked && <IconLock size={14} aria-label="Summary locked by the plan" />}
          {meeting.shared && <IconUsers size={14} aria-label="Shared" />}
        </span>
        <span className="row-line row-facts">
          {(dated || meeting.startPrecision !== "day") && (
            <time dateTime={toMachineTime(meeting)} title={formatStart(meeting)}>
              {dated || meeting.startPrecision !== null
                ? formatStart(meeting)
                : formatHourAndMinute(meeting.startTime)}
            </time>
          )}
          {duration && <span>{duration}</span>}
          <span className="row-owner">{meeting.owner}</span>
          {meeting.openTasks > 0 && (
            <span className="row-tasks">
              <IconSquareCheck size={14} aria-hidden />
              {meeting.openTasks} open
            </span>
          )}
          {meeting.tags.slice(0, 3).map((tag) => (
            <TagName key={tag.name} {...tag} />
          ))}
        </span>
      </Link>
      <Initials people={meeting.people} count={meeting.peopleCount} />
    </div>
  );
}
