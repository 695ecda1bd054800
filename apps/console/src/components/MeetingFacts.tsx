import { Avatar, ColorSwatch } from "@mantine/core";
import { toInitials } from "./words";

/** The initials of people, with their names as tooltips. */
export const Initials = ({ people, count }: { people: readonly string[]; count: number }) => (
  <Avatar.Group spacing={4} className="initials" aria-hidden>
    {people.slice(0, 4).map((name) => (
      <Avatar key={name} name={name} color="initials" size={24} title={name} alt="">
        {toInitials(name)}
      </Avatar>
    ))}
    {count > 4 && (
      <Avatar size={24} title={`${count} people`} alt="">
        +{count - 4}
      </Avatar>
    )}
  </Avatar.Group>
);

/** A tag with its color. */
export const TagName = ({ name, color }: { name: string; color: string }) => (
  <span className="tag">
    <ColorSwatch color={color} size={8} component="span" aria-hidden />
    <span>{name}</span>
  </span>
);
