import { Avatar, UnstyledButton, type UnstyledButtonProps, VisuallyHidden } from "@mantine/core";
import { IconSelector } from "@tabler/icons-react";
import type { ComponentPropsWithRef } from "react";
import { useAccount } from "../api/account";

/** The button of the user menu, with the user's name. */
export function UserTarget(props: UnstyledButtonProps & ComponentPropsWithRef<"button">) {
  const { name } = useAccount();
  return (
    <UnstyledButton {...props} className="user-menu">
      <span aria-hidden>
        <Avatar size={28} radius="xl" name={name} color="indigo" alt="" />
      </span>
      <VisuallyHidden>Your menu: </VisuallyHidden>
      <span className="user-name">{name}</span>
      <IconSelector size={16} stroke={1.7} aria-hidden />
    </UnstyledButton>
  );
}
