import type { Command } from 'commander'
import { writeFile } from 'node:fs/promises'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import { outputOf } from '../../output/output-of.ts'
import { writeFailure } from '../../output/write-failure.ts'

/** `hookline export` */
export function addExport(program: Command): void {
  withApiOptions(program.command('export [file]'))
    .description('write sources and destinations as one JSON document, to stdout or a file')
    .option('--with-secrets', 'with shared secrets, header values and write keys in clear')
    .action(
      async (
        file: string | undefined,
        { withSecrets }: { withSecrets?: true },
        command: Command,
      ) => {
        const query = withSecrets ? { withSecrets: 'true' as const } : {}
        const document = await apiOf(command).exportConfiguration(query)
        const text = JSON.stringify(document, null, 2)
        const output = outputOf(command)
        if (file === undefined) return output.data(document, () => text)
        // A document with secrets is nobody else's business.
        await writeFile(file, `${text}\n`, { mode: 0o600 }).catch((error: unknown) => {
          throw writeFailure(file, error)
        })
        return output.data({ file }, () => `Wrote ${file}.`)
      },
    )
}
