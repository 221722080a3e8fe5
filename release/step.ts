import { styleText } from 'node:util'

/** Runs a step of the release, and prints a line with its result and duration. */
export async function step<Result>(
  name: string,
  work: () => Promise<Result>,
  found: (result: Result) => string = () => '',
): Promise<Result> {
  const startedAt = performance.now()
  const line = (symbol: string, text: string) => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(5)
    console.log(`${symbol} ${seconds} s  ${name}${text === '' ? '' : `: ${text}`}`)
  }
  try {
    const result = await work()
    line(styleText('green', '✓'), found(result))
    return result
  } catch (error) {
    line(styleText('red', '✗'), 'failed')
    throw error
  }
}
