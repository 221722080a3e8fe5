import { testLibraries } from '../suite.ts'
import { CAPTURED_LIBRARIES } from './libraries.ts'

testLibraries('Captures', CAPTURED_LIBRARIES)
