import { type Command, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import type { Token } from '../../api/generated/management-client.ts'
import { makeSignInLink } from '../../api/sign-in-link.ts'
import { outputOf } from '../../output/output.ts'

interface ConsoleOptions {
  readonly url: URL
  readonly role?: Token['role']
}

/** `hookline console` */
export function addConsole(program: Command): void {
  withApiOptions(program.command('console'))
    .description('print a link that signs a browser in to the console, once, within 30 minutes')
    .addOption(
      new Option('--role <role>', 'what the browser may do; by default what the token may').choices(
        ['viewer', 'editor', 'admin'],
      ),
    )
    .action(async ({ url, role }: ConsoleOptions, command: Command) => {
      const output = outputOf(command)
      const link = await makeSignInLink(url, apiOf(command), role)
      output.data(link, () => link.url)
      if (!output.isJson) output.note(`It works once, until ${link.expiresAt}.`)
    })
}
