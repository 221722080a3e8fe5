import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { definedFields } from '../../api/management-api.ts'
import { outputOf } from '../../output/output.ts'

interface DeleteOptions {
  readonly source?: string[]
  readonly suppress?: true
}

/** `hookline delete-user` */
export function addDeleteUser(program: Command): void {
  withApiOptions(program.command('delete-user <userIds...>'))
    .description('delete all data of users, and send deletion notices to the webhooks')
    .option('--source <ids...>', 'only from these sources; the default is all')
    .option('--suppress', 'store no new events of these users either')
    .action(async (userIds: string[], { source, suppress }: DeleteOptions, command: Command) => {
      const body = definedFields({ userIds, sourceIds: source, suppress })
      const created = await apiOf(command).createDeletion(body)
      outputOf(command).data(created, () => `Deletion ${created.id} is ${created.state}.`)
    })
}
