import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { definedFields } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { outputOf } from '../../output/output.ts'

interface DeleteOptions {
  readonly anonymousId?: string[]
  readonly source?: string[]
  readonly suppress?: true
}

/** `hookline delete-user` */
export function addDeleteUser(program: Command): void {
  withApiOptions(program.command('delete-user [userIds...]'))
    .description('delete all data of users, and send deletion notices to the webhooks')
    .option('--anonymous-id <ids...>', 'delete all events with these anonymousIds')
    .option('--source <ids...>', 'only from these sources; the default is all')
    .option('--suppress', 'store no new events of these users either')
    .action(async (userIds: string[], options: DeleteOptions, command: Command) => {
      const { anonymousId: anonymousIds, source: sourceIds, suppress } = options
      if (userIds.length === 0 && anonymousIds === undefined)
        throw new Failure('usage', 'Give userIds, or anonymousIds with --anonymous-id.')
      const users = userIds.length === 0 ? undefined : userIds
      const body = definedFields({ userIds: users, anonymousIds, sourceIds, suppress })
      const created = await apiOf(command).createDeletion(body)
      outputOf(command).data(created, () => `Deletion ${created.id} is ${created.state}.`)
    })
}
