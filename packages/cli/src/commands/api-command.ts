import { SETTINGS } from '@hookline/server/settings'
import { Command, Option } from 'commander'
import { findAdminToken, type TokenOptions } from '../api/admin-token.ts'
import { urlOption } from '../api/api-options.ts'
import { idOf, type KindName } from '../api/find-id.ts'
import { type ManagementApi, managementApi } from '../api/management-api.ts'
import { PAST_TIME, pastTime } from '../options/time-options.ts'
import { wholeNumber } from '../options/whole-number.ts'
import { type Output, outputOf } from '../output/output.ts'

const URL_DEFAULT = new URL(`http://${SETTINGS.host.default}:${SETTINGS.port.default}`)
const GROUP = 'Service:'
const DEFAULT_LIMIT = 50

export interface Context {
  /** @throws {Failure} `auth` without a token */
  readonly api: ManagementApi
  readonly output: Output
  readonly command: Command
}

/** A command whose subcommands call the management API. */
export class ApiCommand extends Command {
  override createCommand(name?: string): ApiCommand {
    return new ApiCommand(name)
  }

  /** Adds a subcommand with options for the service URL and the token. */
  api(usage: string, description: string, options?: { readonly isDefault: boolean }): ApiCommand {
    return this.command(usage, options)
      .description(description)
      .addOption(
        urlOption('URL of the service').default(URL_DEFAULT, URL_DEFAULT.origin).helpGroup(GROUP),
      )
      .addOption(
        new Option('--token-file <file>', 'file that contains an API token').helpGroup(GROUP),
      )
      .addOption(new Option('--data-dir <folder>', 'data folder of the service').helpGroup(GROUP))
  }

  /** Adds paging options. A long list is limited by default. */
  paged(length: 'short' | 'long'): this {
    const help =
      length === 'long' ? 'maximum number of results' : 'maximum number of results; default: all'
    return this.option(
      '--limit <count>',
      help,
      wholeNumber(1),
      length === 'long' ? DEFAULT_LIMIT : undefined,
    ).option('--cursor <cursor>', 'continue a list from the cursor printed by the previous page')
  }

  receivedBetween(): this {
    const past = (text: string) => pastTime(text)
    return this.option(
      '--from <time>',
      `only events received at or after this time: ${PAST_TIME}`,
      past,
    ).option('--to <time>', 'only events received before this time', past)
  }

  /** @param flag the option that requires the confirmation; by default, the command always does */
  confirmed(flag?: string): this {
    const help =
      flag === undefined
        ? 'skip confirmation; required in scripts'
        : `skip the confirmation of ${flag}; required with ${flag} in scripts`
    return this.option('-y, --yes', help)
  }

  run(act: (context: Context, ...args: never[]) => unknown): this {
    return this.action((...args: unknown[]) => {
      const command = args.pop() as Command
      return act(contextOf(command), ...(args as never[])) as Promise<void>
    })
  }

  /** Like `run`, with the id of the resource whose id or name is the first argument. */
  runOn(kind: KindName, act: (context: Context, id: string, ...args: never[]) => unknown): this {
    return this.run(async (context, idOrName: string, ...args: never[]) =>
      act(context, await idOf(context.api, kind, idOrName), ...args),
    )
  }
}

function contextOf(command: Command): Context {
  return {
    get api() {
      const options = command.opts<TokenOptions>()
      return managementApi(options.url, findAdminToken(options))
    },
    output: outputOf(command),
    command,
  }
}
