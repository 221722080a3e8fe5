import type { Command } from 'commander'
import { readFileSync } from 'node:fs'
import { Failure } from '../failure.ts'

export interface SecretOptions {
  readonly secret?: string | undefined
  readonly secretFile?: string
}

/** Gives a command the options for a shared secret. */
export function withSecretOptions(command: Command): Command {
  return command
    .option('--secret <text>', 'shared secret that signs requests to webhooks')
    .option(
      '--secret-file <file>',
      'file that holds the shared secret; keeps it out of process lists',
    )
}

/** The shared secret of those options, if any. @throws {Failure} `usage` if its file cannot be read */
export function sharedSecretOf({ secret, secretFile }: SecretOptions): string | undefined {
  if (secret !== undefined || secretFile === undefined) return secret
  try {
    return readFileSync(secretFile, 'utf8').replace(/\r?\n$/, '')
  } catch (cause) {
    throw new Failure('usage', `Cannot read the shared secret from ${secretFile}.`, { cause })
  }
}
