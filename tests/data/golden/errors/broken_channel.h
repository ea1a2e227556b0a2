/* Included by preprocessor_error_inside_include.pml. */
chan link = [2] of { byte, bit ];
