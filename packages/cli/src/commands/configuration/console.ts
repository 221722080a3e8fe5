import { Option } from 'commander'
import type { Token } from '../../api/generated/management-client.ts'
import { makeSignInLink } from '../../api/sign-in-link.ts'
import type { ApiCommand } from '../api-command.ts'

interface ConsoleOptions {
  readonly url: URL
  readonly role?: Token['role']
}

export function addConsole(program: ApiCommand): void {
  program
    .api('console', 'print a sign-in link for the console')
    .addOption(
      new Option('--role <role>', "role of the session; default: the token's role").choices([
        'viewer',
        'editor',
        'admin',
      ]),
    )
    .run(async ({ api, output }, { url, role }: ConsoleOptions) => {
      const link = await makeSignInLink(url, api, role)
      output.data(link, () => link.url)
      if (!output.isJson) output.note(`The link works once and expires at ${link.expiresAt}.`)
    })
}
