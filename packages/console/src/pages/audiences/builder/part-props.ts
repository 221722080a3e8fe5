import type { ConditionTree, Group } from '../draft/condition-tree.ts'

/** Replaces the part with this id, and moves the focus. */
export type EditPart = (
  id: string,
  edit: (part: ConditionTree) => readonly ConditionTree[],
  focusId?: string,
) => void

/** What the inputs of a group or a clause get. */
export interface PartProps<Part extends ConditionTree = ConditionTree> {
  readonly part: Part
  /** That of its outermost `not`, in what is sent to the service. */
  readonly pointer: string
  /** The group around it; undefined for the whole condition. */
  readonly parent?: Group
  readonly onEdit: EditPart
}

/** The id of the button that adds a clause to a group. */
export const addId = (groupId: string): string => `${groupId}-add`
