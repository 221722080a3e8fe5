import { testLibraries } from '../suite.ts'
import { RUST_LIBRARIES } from './libraries.ts'

testLibraries(RUST_LIBRARIES)
