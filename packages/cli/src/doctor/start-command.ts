import type { Config } from '@hookline/server'
import { SETTINGS } from '@hookline/server/settings'
import { shellWord } from '../output/shell-word.ts'

/** The command that starts the service in the same folder, at the same port. */
export function startCommand({ dataDir, port }: Pick<Config, 'dataDir' | 'port'>): string {
  return [
    'hookline start',
    ...(dataDir === SETTINGS.dataDir.default ? [] : [`--data-dir ${shellWord(dataDir)}`]),
    ...(String(port) === SETTINGS.port.default ? [] : [`--port ${port}`]),
  ].join(' ')
}
