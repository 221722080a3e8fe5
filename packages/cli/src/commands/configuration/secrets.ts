import type { Command } from 'commander'
import { randomBytes } from 'node:crypto'
import { outputOf } from '../../output/output.ts'

const SECRET_BYTES = 32

export function addSecrets(program: Command): void {
  program
    .command('secrets')
    .description('generate signing secrets')
    .command('generate')
    .description('print a random secret that begins with whsec_')
    .action((_options: unknown, command: Command) => {
      const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
      outputOf(command).data({ secret }, () => secret)
    })
}
