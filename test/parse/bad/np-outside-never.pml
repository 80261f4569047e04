/* expect: np_ */
init { np_ }
