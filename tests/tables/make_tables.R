d <- data.frame(length=c(5.1,4.9,6.3,5.8,7.1,6.5), width=c(3.5,3.0,3.3,2.7,3.0,2.8),
  color=c("red","blue","red","green","blue","red"), grown=c(TRUE,FALSE,TRUE,TRUE,FALSE,TRUE),
  class=c("a",NA,"b",NA,NA,"a"), row.names=c("anna","bert","carl","dora","emil","fritz"))
write.csv(d, "r_write_csv.csv")
write.csv2(d, "r_write_csv2.csv")
write.table(d, "r_write_table.tsv", sep="\t")
write.table(d, "r_write_table.csv")
write.csv(d, "r_no_row_names.csv", row.names=FALSE, na="")
g <- d; g$length[2] <- NA; g$grown[3] <- NA; g$color[5] <- NA
write.csv(g, "r_missing_features.csv")
write.csv2(data.frame(x=c(1.5,2,NA,4.25), target=c(10.5,NA,7.25,8)), "r_targets_csv2.csv", row.names=FALSE)
n <- d; rownames(n) <- NULL
write.csv(n, "r_default_row_names.csv")
write.table(d[,1:2], "r_no_header.csv", sep=",", col.names=FALSE, row.names=FALSE)
