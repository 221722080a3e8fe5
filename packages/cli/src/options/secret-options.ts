import type { Command } from 'commander'
import { readFileSync } from 'node:fs'
import { Failure } from '../failure.ts'

export interface SecretOptions {
  readonly secret?: string | undefined
  readonly secretFile?: string
}

export function withSecretOptions<C extends Command>(
  command: C,
  secret = 'shared secret that signs webhook requests',
  content = 'secret',
): C {
  return command
    .option('--secret <text>', secret)
    .option('--secret-file <file>', `file that contains the ${content}`)
}

/** @throws {Failure} `usage` if the file cannot be read */
export function sharedSecretOf({ secret, secretFile }: SecretOptions): string | undefined {
  return secret === undefined && secretFile !== undefined ? secretIn(secretFile) : secret
}

/** The secret without a byte order mark or a trailing newline. @throws {Failure} `usage` if the file cannot be read */
export function secretIn(file: string): string {
  try {
    return new TextDecoder().decode(readFileSync(file)).replace(/\r?\n$/, '')
  } catch (cause) {
    throw new Failure('usage', `Cannot read the secret from ${file}.`, { cause })
  }
}
