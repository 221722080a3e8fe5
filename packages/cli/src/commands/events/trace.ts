import { isId } from '@hookline/protocol'
import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { outputOf } from '../../output/output-of.ts'
import { traceText } from '../../output/trace-text.ts'

/** `hookline trace` */
export function addTrace(program: Command): void {
  withApiOptions(program.command('trace <id>'))
    .description('what became of an event: its evt_… id, or the messageId the client gave it')
    .action(async (id: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      const eventId = isId('evt', id) ? id : await newestWith(api, id)
      const trace = await api.getEvent(eventId)
      const output = outputOf(command)
      output.data(trace, () => traceText(output, trace))
    })
}

async function newestWith(api: ManagementApi, messageId: string): Promise<string> {
  const { data } = await api.listEvents({ messageId, limit: 1 })
  if (data[0] !== undefined) return data[0].id
  throw new Failure('not found', `No event has the id or messageId ${JSON.stringify(messageId)}.`, {
    hint: 'It was refused, which its answer said; or it is kept no longer; or its user is suppressed: `hookline suppressions list`.',
  })
}
