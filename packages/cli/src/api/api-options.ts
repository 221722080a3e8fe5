import { SETTINGS } from '@hookline/server/settings'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { findAdminToken, type TokenOptions } from './admin-token.ts'
import { type ManagementApi, managementApi } from './management-api.ts'

const DEFAULT = new URL(`http://${SETTINGS.host.default}:${SETTINGS.port.default}`)

const GROUP = 'Service:'

/** Gives a command the options for the address of the service and for the admin token. */
export function withApiOptions(command: Command): Command {
  return command
    .addOption(
      urlOption('address of the service').default(DEFAULT, DEFAULT.origin).helpGroup(GROUP),
    )
    .addOption(
      new Option('--token-file <file>', 'file that holds the admin token').helpGroup(GROUP),
    )
    .addOption(
      new Option('--data-dir <folder>', 'data folder of the service; it holds the token').helpGroup(
        GROUP,
      ),
    )
}

/** `--url`, the address of a service. */
export function urlOption(description: string): Option {
  return new Option('--url <url>', description).env('HOOKLINE_URL').argParser(serviceUrl)
}

/** The management API of the service that those options name. @throws {Failure} `auth` without a token */
export function apiOf(command: Command): ManagementApi {
  const options = command.opts<TokenOptions>()
  return managementApi(options.url, findAdminToken(options))
}

/** Parses an option that is an http or https URL. */
export function httpUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('It must be a URL like http://127.0.0.1:4800.')
  }
  return url
}

/** Credentials in a URL would appear in logs and messages; the token and the write key have options. */
function serviceUrl(text: string): URL {
  const url = httpUrl(text)
  if (url.username === '' && url.password === '') return url
  throw new InvalidArgumentError('It must not contain a user name or a password.')
}
