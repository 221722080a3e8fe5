/** What the service says is wrong with a part of a definition. */
export interface PartFault {
  readonly pointer: string
  readonly message: string
  readonly hint: string
}

/** The faults of exactly these places. */
export function faultsAt(
  faults: readonly PartFault[],
  pointers: readonly string[],
): readonly PartFault[] {
  return faults.filter(({ pointer }) => pointers.includes(pointer))
}

/** The faults of this place and of what is in it. */
export function faultsIn(faults: readonly PartFault[], pointer: string): readonly PartFault[] {
  return faults.filter((each) => each.pointer === pointer || each.pointer.startsWith(`${pointer}/`))
}
