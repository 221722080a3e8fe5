import type { InstalledProject } from './installed-project.ts'
import type { RunningService } from './running-service.ts'

/** The write key of a source that the installed command creates. */
export async function createSource(
  installed: InstalledProject,
  { url }: RunningService,
): Promise<string> {
  const json = await installed.hookline('sources', 'create', 'My shop', '--url', url, '--json')
  const { writeKeys } = JSON.parse(json) as { writeKeys: { key: string }[] }
  return writeKeys[0]!.key
}

/** Sends a call with the installed command. Resolves with its userId. */
export async function sendCall(
  installed: InstalledProject,
  { url }: RunningService,
  writeKey: string,
): Promise<string> {
  const call = ['track', 'Order Completed', '--user', 'hookline-send']
  await installed.hookline('send', ...call, '--url', url, '--write-key', writeKey)
  return 'hookline-send'
}

/** Rejects unless the service has exactly one event from each user. */
export async function checkEvents(
  installed: InstalledProject,
  { url }: RunningService,
  users: readonly string[],
): Promise<void> {
  const json = await installed.hookline('events', 'list', '--url', url, '--json')
  const { data } = JSON.parse(json) as { data: { event: { userId: string } }[] }
  const found = data.map(({ event }) => event.userId)
  if (found.toSorted().join() !== users.toSorted().join())
    throw new Error(`Expected events of ${users.join(', ')}, found events of ${found.join(', ')}.`)
}
