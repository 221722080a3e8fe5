import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { type KindName, kindOf, showCommandOf } from '../../api/find-id.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { outputOf } from '../../output/output.ts'
import { showTrace } from './show-trace.ts'

/** `hookline trace` */
export function addTrace(program: Command): void {
  withApiOptions(program.command('trace <id>'))
    .description(
      'show what happened to an event, by its evt_… id, its messageId, or the msg_… id of a delivery',
    )
    .action(async (id: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      await showTrace(outputOf(command), api, await eventIdOf(api, id))
    })
}

async function eventIdOf(api: ManagementApi, given: string): Promise<string> {
  const kind = kindOf(given)
  if (kind === 'event') return given
  if (kind === 'delivery') return (await api.getDelivery(given)).eventId
  return newestEventId(api, given)
}

async function newestEventId(api: ManagementApi, messageId: string): Promise<string> {
  const { data } = await api.listEvents({ messageId, limit: 1 })
  if (data[0] !== undefined) return data[0].id
  const kind = kindOf(messageId)
  if (kind !== undefined) throw notTraced(messageId, kind)
  throw new Failure(
    'not found',
    `There is no event with the id or messageId ${JSON.stringify(messageId)}.`,
    {
      hint: 'Either the service refused the call, or the event has expired, or its user is suppressed: `hookline suppressions list --user <userId>` says since when, and how many calls were left out.',
    },
  )
}

function notTraced(id: string, kind: KindName): Failure {
  const { noun, command } = showCommandOf(kind, id)
  return new Failure('not found', `${id} is the id of ${noun}, not of an event or a delivery.`, {
    hint: `\`hookline ${command}\` shows it.`,
  })
}
