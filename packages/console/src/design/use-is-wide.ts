import { mediaHook } from '../format/media.ts'

export const useIsWide = mediaHook('(min-width: 48rem)')
