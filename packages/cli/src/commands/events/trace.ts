import { isId } from '@hookline/protocol'
import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { outputOf } from '../../output/output.ts'
import { traceText } from '../../output/trace-text.ts'

/** `hookline trace` */
export function addTrace(program: Command): void {
  withApiOptions(program.command('trace <id>'))
    .description('show what happened to an event, by its evt_… id or its messageId')
    .action(async (id: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      const eventId = isId('evt', id) ? id : await newestEventId(api, id)
      const trace = await api.getEvent(eventId)
      const output = outputOf(command)
      output.data(trace, () => traceText(output, trace))
    })
}

async function newestEventId(api: ManagementApi, messageId: string): Promise<string> {
  const { data } = await api.listEvents({ messageId, limit: 1 })
  if (data[0] !== undefined) return data[0].id
  throw new Failure(
    'not found',
    `There is no event with the id or messageId ${JSON.stringify(messageId)}.`,
    {
      hint: 'Either the service refused the call, or the event has expired, or its user is suppressed: `hookline suppressions list --user <userId>` says since when, and how many calls were left out.',
    },
  )
}
