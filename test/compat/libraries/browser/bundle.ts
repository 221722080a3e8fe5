interface Bundler {
  readonly rolldown: (options: object) => Promise<{ write(options: object): Promise<unknown> }>
}

/** Writes a module for browsers that has all that `entry` imports. */
export async function bundle(entry: string, file: string): Promise<void> {
  // rolldown comes with Vitest's Vite. A literal import would make it our dependency, with a version to keep equal.
  const name = 'rolldown'
  const { rolldown } = (await import(name)) as Bundler
  const built = await rolldown({
    input: entry,
    platform: 'browser',
    transform: { define: { global: 'window' } },
    logLevel: 'silent',
  })
  await built.write({ file, format: 'esm', codeSplitting: false })
}
