import { writeFile } from 'node:fs/promises'
import { writeFailure } from '../../failure.ts'
import { jsonText } from '../../output/safe-text.ts'
import type { ApiCommand } from '../api-command.ts'

export function addExport(program: ApiCommand): void {
  program
    .api('export [file]', 'export the configuration as JSON')
    .option(
      '--with-secrets',
      'include all secrets, keys, passwords, header values and write keys in plain text',
    )
    .run(
      async (
        { api, output },
        file: string | undefined,
        { withSecrets }: { withSecrets?: true },
      ) => {
        const document = await api.exportConfiguration(withSecrets ? { withSecrets: 'true' } : {})
        const text = jsonText(document, 2)
        if (file === undefined || file === '-') return output.data(document, () => text)
        // Readable only by its owner, because it may contain secrets.
        await writeFile(file, `${text}\n`, { mode: 0o600 }).catch((error: unknown) => {
          throw writeFailure(file, error)
        })
        return output.data({ file }, () => `Wrote ${file}.`)
      },
    )
}
