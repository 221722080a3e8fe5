import type { Command } from 'commander'
import { writeFile } from 'node:fs/promises'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { writeFailure } from '../../failure.ts'
import { outputOf } from '../../output/output.ts'
import { jsonText } from '../../output/safe-text.ts'

/** `hookline export` */
export function addExport(program: Command): void {
  withApiOptions(program.command('export [file]'))
    .description(
      'write sources and destinations as a JSON document, to a file, or to stdout without one or with -',
    )
    .option('--with-secrets', 'include shared secrets, header values and write keys in plain text')
    .action(
      async (
        file: string | undefined,
        { withSecrets }: { withSecrets?: true },
        command: Command,
      ) => {
        const query = withSecrets ? { withSecrets: 'true' as const } : {}
        const document = await apiOf(command).exportConfiguration(query)
        const text = jsonText(document, 2)
        const output = outputOf(command)
        if (file === undefined || file === '-') return output.data(document, () => text)
        // It may contain secrets: only its owner may read it.
        await writeFile(file, `${text}\n`, { mode: 0o600 }).catch((error: unknown) => {
          throw writeFailure(file, error)
        })
        return output.data({ file }, () => `Wrote ${file}.`)
      },
    )
}
