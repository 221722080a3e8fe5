import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { definedFields } from '../../api/management-api.ts'
import { outputOf } from '../../output/output.ts'
import { profileText } from '../../output/users/profile-text.ts'

/** `hookline profiles …` */
export function addProfiles(program: Command): void {
  const profiles = program.command('profiles').description('what is known of users')

  withApiOptions(profiles.command('get <userId>'))
    .description('show the traits, computed traits, audiences and events of a user')
    .option('--space <space>', 'space of the user; the default is default')
    .action(async (userId: string, { space }: { space?: string }, command: Command) => {
      const profile = await apiOf(command).findProfile(userId, definedFields({ space }))
      const output = outputOf(command)
      output.data(profile, () => profileText(output, profile))
    })
}
