import { build } from '@hookline/testing/client/bundle'

/** Bundles `entry` and its imports into a browser module. */
export async function bundle(entry: string, file: string): Promise<void> {
  const built = await build({
    input: entry,
    platform: 'browser',
    transform: { define: { global: 'window' } },
    logLevel: 'silent',
  })
  await built.write({ file, format: 'esm', codeSplitting: false })
}
