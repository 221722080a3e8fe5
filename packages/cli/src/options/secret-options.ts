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
  return secret === undefined && secretFile !== undefined ? secretIn(secretFile) : secret
}

/** @throws {Failure} `usage` if the file cannot be read */
export function secretIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (cause) {
    throw new Failure('usage', `Cannot read the secret from ${file}.`, { cause })
  }
}
