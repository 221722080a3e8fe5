import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { type KindName, kindOf, showCommandOf } from '../../api/find-id.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { missingLines } from '../../output/events/missing-text.ts'
import { type Output, outputOf } from '../../output/output.ts'
import { showTrace } from './show-trace.ts'

/** `hookline trace` */
export function addTrace(program: Command): void {
  withApiOptions(program.command('trace <id>'))
    .description(
      'show what happened to an event, by its evt_… id, its messageId, or the msg_… id of a delivery',
    )
    .action(async (id: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      await show(outputOf(command), api, id)
    })
}

async function show(output: Output, api: ManagementApi, given: string): Promise<void> {
  if (kindOf(given) !== 'event') return showTrace(output, api, await eventIdOf(api, given))
  try {
    await showTrace(output, api, given)
  } catch (error) {
    if (!(error instanceof Failure) || error.meaning !== 'not found') throw error
    throw error.withHint(await whyMissing(api, { eventId: given }))
  }
}

async function eventIdOf(api: ManagementApi, given: string): Promise<string> {
  if (kindOf(given) === 'delivery') return (await api.getDelivery(given)).eventId
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
    { hint: await whyMissing(api, { messageId }) },
  )
}

/** The causes that the service knows of, and how to ask about the user or the source of the call. */
async function whyMissing(
  api: ManagementApi,
  known: { readonly messageId?: string; readonly eventId?: string },
): Promise<string> {
  const { causes } = await api.explainMissingEvent(known)
  return [
    'Likely causes, from what the service knows:',
    ...missingLines(causes).map((line) => `- ${line}`),
    '`hookline events why-missing --user <userId> --source <id>` tells more.',
  ].join('\n  ')
}

function notTraced(id: string, kind: KindName): Failure {
  const { noun, command } = showCommandOf(kind, id)
  return new Failure('not found', `${id} is the id of ${noun}, not of an event or a delivery.`, {
    hint: `\`hookline ${command}\` shows it.`,
  })
}
