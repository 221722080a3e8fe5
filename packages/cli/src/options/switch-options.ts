import { Option } from 'commander'
import type { ApiCommand } from '../commands/api-command.ts'

export interface SwitchOptions {
  readonly enabled?: true
  readonly disabled?: true
}

/** Adds `--enabled` and `--disabled`, with these descriptions. */
export function withSwitch(command: ApiCommand, enabled: string, disabled: string): ApiCommand {
  return command
    .addOption(new Option('--enabled', enabled).conflicts('disabled'))
    .option('--disabled', disabled)
}

/** `undefined` without either option. */
export function enabledIn({ enabled, disabled }: SwitchOptions): boolean | undefined {
  return disabled ? false : enabled
}
