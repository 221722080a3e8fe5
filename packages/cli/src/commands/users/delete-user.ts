import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import { definedFields } from '../../api/management-api.ts'
import { outputOf } from '../../output/output-of.ts'

interface DeleteOptions {
  readonly source?: string[]
  readonly suppress?: true
}

/** `hookline delete-user` */
export function addDeleteUser(program: Command): void {
  withApiOptions(program.command('delete-user <userIds...>'))
    .description('remove all that is kept of users, and tell the receivers')
    .option('--source <ids...>', 'only at these sources; at all if absent')
    .option('--suppress', 'keep no new events of them either')
    .action(async (userIds: string[], { source, suppress }: DeleteOptions, command: Command) => {
      const body = definedFields({ userIds, sourceIds: source, suppress })
      const made = await apiOf(command).createDeletion(body)
      outputOf(command).data(made, () => `Deletion ${made.id} is ${made.state}.`)
    })
}
