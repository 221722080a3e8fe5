import type { Command } from 'commander'
import { readFileSync } from 'node:fs'
import { Failure } from '../failure.ts'

export interface SecretOptions {
  readonly secret?: string | undefined
  readonly secretFile?: string
}

/** Gives a command the options that name a shared secret. */
export function withSecretOptions(command: Command): Command {
  return command
    .option('--secret <text>', 'shared secret that signs the requests')
    .option('--secret-file <file>', 'file that holds it, out of sight of other users')
}

/** The shared secret that was named, if any. @throws {Failure} where its file cannot be read */
export function sharedSecretOf({ secret, secretFile }: SecretOptions): string | undefined {
  if (secret !== undefined || secretFile === undefined) return secret
  try {
    return readFileSync(secretFile, 'utf8').replace(/\r?\n$/, '')
  } catch (cause) {
    throw new Failure('usage', `The shared secret cannot be read from ${secretFile}.`, { cause })
  }
}
