import { type KindName, kindOf, showCommandOf } from '../../api/find-id.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { missingLines } from '../../output/events/missing-text.ts'
import { traceText } from '../../output/events/trace-text.ts'
import { destinationNames } from '../../output/names.ts'
import type { ApiCommand, Context } from '../api-command.ts'

export function addTrace(program: ApiCommand): void {
  program
    .api('trace <id>', 'trace an event by its id, messageId or delivery id')
    .run(async (context, id: string) => {
      if (kindOf(id) !== 'event') return showTrace(context, await eventIdOf(context.api, id))
      return showTrace(context, id).catch(async (error: unknown) => {
        if (!(error instanceof Failure) || error.meaning !== 'not found') throw error
        throw error.withHint(await whyMissing(context.api, { eventId: id }))
      })
    })
}

export async function showTrace({ api, output }: Context, eventId: string): Promise<void> {
  const trace = await api.getEvent(eventId)
  const names = await destinationNames(api, output)
  output.data(trace, () => traceText(output, trace, names))
}

async function eventIdOf(api: ManagementApi, id: string): Promise<string> {
  const kind = kindOf(id)
  if (kind === 'delivery') return (await api.getDelivery(id)).eventId
  const { data } = await api.listEvents({ messageId: id, limit: 1 })
  if (data[0] !== undefined) return data[0].id
  if (kind !== undefined) throw notTraced(id, kind)
  throw new Failure('not found', `No event has the id or messageId ${JSON.stringify(id)}.`, {
    hint: await whyMissing(api, { messageId: id }),
  })
}

async function whyMissing(
  api: ManagementApi,
  event: { readonly messageId?: string; readonly eventId?: string },
): Promise<string> {
  const { causes } = await api.explainMissingEvent(event)
  return [
    'Likely causes:',
    ...missingLines(causes).map((line) => `- ${line}`),
    'To narrow this down, run: hookline events why-missing --user <userId> --source <id>',
  ].join('\n  ')
}

function notTraced(id: string, kind: KindName): Failure {
  const { noun, command } = showCommandOf(kind, id)
  return new Failure('not found', `${id} is the id of ${noun}, not of an event or a delivery.`, {
    hint: `\`hookline ${command}\` shows it.`,
  })
}
