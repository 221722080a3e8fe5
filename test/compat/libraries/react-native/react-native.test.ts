import { testLibraries } from '../suite.ts'
import { REACT_NATIVE_LIBRARIES } from './libraries.ts'

testLibraries('React Native', REACT_NATIVE_LIBRARIES)
