/**
 * Calls a function of the program, such as `onError`, so that a bug in it cannot stop the client. Passes an exception or
 * the reason of a rejected promise to `onFailure` as a string. Never throws or rejects.
 */
export async function callSafely(
  call: () => unknown,
  onFailure: (thrown: string) => unknown = () => {},
): Promise<void> {
  try {
    await call()
  } catch (thrown) {
    onFailure(textOf(thrown))
  }
}

/** `String(value)`, or the type of a value that cannot be converted, such as an object without a prototype. */
export function textOf(value: unknown): string {
  try {
    return String(value)
  } catch {
    return typeof value
  }
}
