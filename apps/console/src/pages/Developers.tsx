import { useLocation } from "@tanstack/react-router";
import { useEffect } from "react";
import { useAccount } from "../api/account";
import { Page } from "../components/states";
import { Connect } from "./developers/Connect";
import { Keys, Recorders } from "./developers/Keys";
import { Webhooks } from "./developers/Webhooks";

/** API keys, webhooks, recorders, and recipes to connect programs and assistants. */
export function Developers() {
  const { role } = useAccount();
  const { hash } = useLocation();
  useEffect(() => document.getElementById(hash)?.scrollIntoView(), [hash]);
  return (
    <Page>
      <Keys />
      <Webhooks />
      {role === "admin" && <Recorders />}
      <Connect />
    </Page>
  );
}
