import type { Command } from 'commander'
import { readFileSync } from 'node:fs'
import { Failure } from '../failure.ts'

export interface SecretOptions {
  readonly secret?: string | undefined
  readonly secretFile?: string
}

export function withSecretOptions<C extends Command>(command: C): C {
  return command
    .option('--secret <text>', 'shared secret that signs webhook requests')
    .option('--secret-file <file>', 'file with the shared secret')
}

/** @throws {Failure} `usage` if the file cannot be read */
export function sharedSecretOf({ secret, secretFile }: SecretOptions): string | undefined {
  if (secret !== undefined || secretFile === undefined) return secret
  try {
    return readFileSync(secretFile, 'utf8').replace(/\r?\n$/, '')
  } catch (cause) {
    throw new Failure('usage', `Cannot read the shared secret from ${secretFile}.`, { cause })
  }
}
