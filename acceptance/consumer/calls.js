// biome-ignore lint/correctness/noUnusedVariables: the program that this is made part of calls it
async function calls({ BASE_URL: baseUrl, ME_KEY, WORKSPACE_KEY }) {
  const me = createMeClient({ baseUrl, apiKey: ME_KEY });
  const workspace = createWorkspaceClient({ baseUrl, apiKey: WORKSPACE_KEY });
  const own = createTRPCClient({ links: [link("me", { baseUrl, apiKey: ME_KEY })] });
  const titles = (await paginate(me.meetings.list, { limit: 2 }).toArray()).map(({ title }) => title);
  const detail = await me.meetings.get.query({ meetingId: (await own.meetings.list.query()).meetings[0].id });
  const { tasks } = await workspace.tasks.list.query({ limit: 1 });
  const updated = await workspace.tasks.update.mutate({ taskId: tasks[0].id, completed: true });
  const refused = await me.meetings.get.query({ meetingId: "none" }).catch((error) => error);
  return {
    titles,
    email: detail.user.email,
    completed: updated.completed,
    refused: [refused instanceof MinutesError, refused.status, refused.code, refused.message],
  };
}
