import type { Command } from 'commander'
import { findAdminToken, type TokenOptions } from './admin-token.ts'
import { type ManagementApi, managementApi } from './management-api.ts'
import { urlOption } from './service-url.ts'

/** Gives a command the options that say which service it speaks to, and as whom. */
export function withApiOptions(command: Command): Command {
  return command
    .addOption(urlOption())
    .option('--token-file <file>', 'file that holds the admin token')
    .option('--data-dir <folder>', 'data folder of the service, which holds the admin token')
}

/** The API that those options lead to. */
export function apiOf(command: Command): ManagementApi {
  const options = command.opts<TokenOptions>()
  return managementApi(options.url, findAdminToken(options))
}
